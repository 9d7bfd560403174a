/** Folders of the object store, kept separate so that functions can have different rights to each. */
export const objectFolders = {
  /** Configurations and WASM modules. */
  configurations: 'sha256',
  /** Action results that are too large for an entry. */
  results: 'results',
  /** MCP tool definitions by fingerprint. */
  definitions: 'definitions',
} as const;

export type ObjectFolder = (typeof objectFolders)[keyof typeof objectFolders];
