/** Response headers for the console's files, both on the local host and on CloudFront. */

/** Restricts pages to their own origin and forbids inline code and framing [console.policy]. */
export const consoleHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types verifier',
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
} as const;

/** Prefix of files whose names contain a hash of their content. */
export const hashedPrefix = 'chunk-';

/**
 * Returns the `Cache-Control` of a file. Files with a hash in their name never change; browsers revalidate the others
 * on each visit [console.cached].
 */
export const cacheControlOf = (name: string): string =>
  name.startsWith(hashedPrefix) ? 'public, max-age=31536000, immutable' : 'no-cache';
