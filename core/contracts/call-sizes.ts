/** Sizes and words of a call, separate from the schemas so that clients need not load the schema library. */

/** Capabilities from least to most severe. */
export const capabilities = ['read', 'write', 'execute', 'delete'] as const;
export type Capability = (typeof capabilities)[number];

export const sizes = {
  envelopeBytes: 256 * 1024,
  targetBytes: 4 * 1024,
  nameCharacters: 256,
  justificationCharacters: 4096,
  promptCharacters: 32 * 1024,
} as const;
