/** Sizes and terms of a call, kept apart from the schemas so that clients need not load the schema library. */

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

export const decisions = ['allow', 'review', 'block'] as const;
export type Decision = (typeof decisions)[number];

export const sessionPattern = /^[A-Za-z0-9._:-]{1,128}$/;
/** Checks a session id. Ids consisting only of dots are invalid, because URLs would resolve them as path segments. */
export const isSession = (text: string): boolean => sessionPattern.test(text) && !/^\.+$/.test(text);
export const sessionForm = '[A-Za-z0-9._:-]{1,128}, not only dots';
