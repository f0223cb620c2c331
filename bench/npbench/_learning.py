"""Layers of neural networks."""


def softmax(np, x):
    largest = np.max(x, axis=-1, keepdims=True)
    powers = np.exp(x - largest)
    return powers / np.sum(powers, axis=-1, keepdims=True)


def relu(np, x):
    return np.maximum(x, 0)


def mlp(np, x, w1, b1, w2, b2, w3, b3):
    x = relu(np, x @ w1 + b1)
    x = relu(np, x @ w2 + b2)
    return softmax(np, x @ w3 + b3)


def conv2d(np, images, weights):
    """Place by place of the result."""
    k = weights.shape[0]
    h, w = images.shape[1] - k + 1, images.shape[2] - k + 1
    out = np.empty((images.shape[0], h, w, weights.shape[3]), dtype=np.float32)
    for i in range(h):
        for j in range(w):
            out[:, i, j, :] = np.sum(
                images[:, i : i + k, j : j + k, :, np.newaxis] * weights[np.newaxis, :, :, :], axis=(1, 2, 3)
            )
    return out


def conv2d_bias(np, images, weights, bias):
    return conv2d(np, images, weights) + bias


def max_pool(np, x):
    out = np.empty([x.shape[0], x.shape[1] // 2, x.shape[2] // 2, x.shape[3]], dtype=x.dtype)
    for i in range(x.shape[1] // 2):
        for j in range(x.shape[2] // 2):
            out[:, i, j, :] = np.max(x[:, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2, :], axis=(1, 2))
    return out


def lenet(np, x, w1, b1, w2, b2, w3, b3, w4, b4, w5, b5):
    x = max_pool(np, relu(np, conv2d(np, x, w1) + b1))
    x = max_pool(np, relu(np, conv2d(np, x, w2) + b2))
    x = np.reshape(x, (x.shape[0], x.shape[1] * x.shape[2] * x.shape[3]))
    x = relu(np, x @ w3 + b3)
    x = relu(np, x @ w4 + b4)
    return x @ w5 + b5


def resnet(np, x, w1, w2, w3):
    def normal(y, eps=1e-5):
        return (y - np.mean(y, axis=0, keepdims=True)) / np.sqrt(np.std(y, axis=0, keepdims=True) + eps)

    padded = np.zeros((x.shape[0], x.shape[1] + 2, x.shape[2] + 2, w1.shape[3]), dtype=np.float32)
    padded[:, 1:-1, 1:-1, :] = conv2d(np, x, w1)
    y = relu(np, normal(padded))
    y = relu(np, normal(conv2d(np, y, w2)))
    return relu(np, normal(conv2d(np, y, w3)) + x)
