/** Folders of the object store, apart because not every function may read each of them. */
export const objectFolders = {
  /** Configurations and WASM modules. */
  configurations: 'sha256',
  /** Results of actions that are too large for an entry. */
  results: 'results',
  /** Texts of the definitions of MCP tools, by their fingerprint. */
  definitions: 'definitions',
} as const;

export type ObjectFolder = (typeof objectFolders)[keyof typeof objectFolders];
