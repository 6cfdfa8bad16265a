internal import Glibc

/// Tells whether this process was built with a sanitizer that changes what can be tested.
package enum Sanitizer {
    /// Whether the thread sanitizer is part of this process: everything is about ten times slower.
    package static let isThreadSanitizer = unsafe dlsym(nil, "__tsan_init") != nil
}
