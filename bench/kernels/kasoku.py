import cuda_text

cuda_text.with_kasoku(__file__)
