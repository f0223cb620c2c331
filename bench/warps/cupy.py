import cuda_text

cuda_text.with_cupy(__file__)
