/** Every list of globs in the sandbox's section, with its place, for the checks of a configuration. */
import type { SandboxSettings } from '#core/contracts/sandbox.ts';

interface GlobList {
  /** From the root of the configuration. */
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
