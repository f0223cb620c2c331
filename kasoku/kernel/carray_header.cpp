#include "kasoku/kernel/header_text.h"

namespace kasoku {

const char carray_header[] = R"cuda(
#ifndef KS_USER_CARRAY
#define KS_USER_CARRAY

// An array as the operation of an element kernel sees a raw parameter.
template <typename T, int ndim_, bool is_contiguous_ = true, bool is_narrow_ = false>
class CArray {
 public:
  typedef T value_type;
  static const int ndim = ndim_;
  static const bool _c_contiguous = is_contiguous_;

  __device__ CArray(T* data, ptrdiff_t size) : data_(data), size_(size) {}
  __device__ void set_axis(int axis, ptrdiff_t length, ptrdiff_t stride) {
    shape_[axis] = length;
    strides_[axis] = stride;
  }

  __device__ ptrdiff_t size() const { return size_; }
  __device__ const ptrdiff_t* shape() const { return shape_; }
  /// In bytes.
  __device__ const ptrdiff_t* strides() const { return strides_; }
  __device__ T* data() const { return data_; }

  /// By position in C order.
  __device__ T& operator[](ptrdiff_t i) const {
    if (is_contiguous_ || ndim_ == 0) return data_[i];
    ptrdiff_t offset = 0;
    if (is_narrow_) {
      unsigned rest = (unsigned)i;
      for (int axis = ndim_ - 1; axis > 0; --axis) {
        const unsigned length = (unsigned)shape_[axis];
        offset += (rest % length) * strides_[axis];
        rest /= length;
      }
      offset += rest * strides_[0];
    } else {
      ptrdiff_t rest = i;
      for (int axis = ndim_ - 1; axis > 0; --axis) {
        offset += (rest % shape_[axis]) * strides_[axis];
        rest /= shape_[axis];
      }
      offset += rest * strides_[0];
    }
    return *(T*)((char*)data_ + offset);
  }
  /// By one index for each axis.
  template <typename Index>
  __device__ T& operator[](const Index* index) const {
    ptrdiff_t offset = 0;
    for (int axis = 0; axis < ndim_; ++axis) offset += (ptrdiff_t)index[axis] * strides_[axis];
    return *(T*)((char*)data_ + offset);
  }

 private:
  T* data_;
  ptrdiff_t size_;
  ptrdiff_t shape_[ndim_ > 0 ? ndim_ : 1];
  ptrdiff_t strides_[ndim_ > 0 ? ndim_ : 1];
};

// `_ind` of an element kernel: the shape of the loop and the index of this element.
template <int ndim_>
class CIndexer {
 public:
  static const int ndim = ndim_;
  __device__ explicit CIndexer(ptrdiff_t size) : size_(size) {}
  __device__ void set_axis(int axis, ptrdiff_t length) { shape_[axis] = length; }
  __device__ void set(ptrdiff_t i) {
    for (int axis = ndim_ - 1; axis > 0; --axis) {
      index_[axis] = i % shape_[axis];
      i /= shape_[axis];
    }
    index_[0] = i;
  }
  __device__ ptrdiff_t size() const { return size_; }
  __device__ const ptrdiff_t* shape() const { return shape_; }
  __device__ const ptrdiff_t* get() const { return index_; }

 private:
  ptrdiff_t size_;
  ptrdiff_t shape_[ndim_ > 0 ? ndim_ : 1];
  ptrdiff_t index_[ndim_ > 0 ? ndim_ : 1];
};
#endif
)cuda";

}  // namespace kasoku
