// The host's library as far as declarations outside of kernels name it: kernel text that is a
// whole program has them in signatures and globals of host functions, whose bodies are not read.
// Everything here belongs to the host, so its use in a kernel is an error that says so.
#pragma once
#pragma clang system_header

namespace std {
#define ks_host_class(name)                    \
  template <class... Types> class name {       \
   public:                                     \
    __host__ name();                           \
    template <class... Args> __host__ name(Args...); \
    __host__ ~name();                          \
  };
ks_host_class(vector) ks_host_class(list) ks_host_class(deque) ks_host_class(queue) ks_host_class(stack)
ks_host_class(priority_queue) ks_host_class(map) ks_host_class(multimap) ks_host_class(set)
ks_host_class(multiset) ks_host_class(unordered_map) ks_host_class(unordered_set)
ks_host_class(basic_string) ks_host_class(basic_ostream) ks_host_class(basic_istream)
ks_host_class(unique_ptr) ks_host_class(shared_ptr)
typedef basic_string<char> string;
typedef basic_ostream<char> ostream;
typedef basic_istream<char> istream;
class ofstream : public ostream { public: __host__ ofstream(); __host__ ~ofstream(); };
class ifstream : public istream { public: __host__ ifstream(); __host__ ~ifstream(); };
class stringstream : public ostream { public: __host__ stringstream(); __host__ ~stringstream(); };
class thread { public: __host__ thread(); __host__ ~thread(); };
class mutex { public: __host__ mutex(); __host__ ~mutex(); };
class random_device { public: __host__ random_device(); };
class mt19937 { public: __host__ mt19937(); };
extern ostream cout, cerr, clog;
extern istream cin;
namespace chrono {
class system_clock { public: class time_point {}; };
class steady_clock { public: class time_point {}; };
class high_resolution_clock { public: class time_point {}; };
}
}

namespace thrust {
ks_host_class(host_vector) ks_host_class(device_vector) ks_host_class(device_ptr)
}
#undef ks_host_class

#define ks_handle(name) typedef struct ks_##name* name;
ks_handle(cublasHandle_t) ks_handle(cublasLtHandle_t) ks_handle(cublasLtMatmulDesc_t)
ks_handle(cublasLtMatrixLayout_t) ks_handle(cublasLtMatmulPreference_t) ks_handle(cusparseHandle_t)
ks_handle(cusparseMatDescr_t) ks_handle(cusolverDnHandle_t) ks_handle(cudnnHandle_t) ks_handle(ncclComm_t)
ks_handle(MPI_Comm)
#undef ks_handle
struct StopWatchInterface;
typedef struct CUctx_st* CUcontext;
typedef struct CUmod_st* CUmodule;
typedef struct CUfunc_st* CUfunction;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
enum cudaError_enum {};
typedef cudaError_enum CUresult;
typedef unsigned int GLuint, GLenum;
typedef int GLint, GLsizei;
typedef float GLfloat;
enum cublasStatus_t {};
enum cublasOperation_t {};
enum cublasComputeType_t {};
enum cublasMath_t {};
enum cusparseStatus_t {};
enum cusolverStatus_t {};
enum cudnnStatus_t {};
enum ncclResult_t {};
enum cufftResult {};
typedef int cufftHandle;
typedef float2 cufftComplex;
typedef double2 cufftDoubleComplex;
typedef float cufftReal;
typedef double cufftDoubleReal;
