/** Returns every list of globs in the sandbox section with its path, for configuration checks. */
import type { SandboxSettings } from '#core/contracts/sandbox.ts';

interface GlobList {
  /** Path from the root of the configuration. */
  readonly path: readonly string[];
  readonly patterns: readonly string[];
}

export const sandboxGlobs = (settings: SandboxSettings): GlobList[] =>
  Object.entries(settings).flatMap(([section, limits]) =>
    Object.entries(limits).flatMap(([key, value]) =>
      // Methods are words, not patterns.
      Array.isArray(value) && key !== 'allowed_methods' ? [{ path: ['sandbox', section, key], patterns: value }] : [],
    ),
  );
