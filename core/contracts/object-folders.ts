/** Folders of the object store, separate so that functions can have different rights to them. */
export const objectFolders = {
  /** Configurations and WASM modules. */
  configurations: 'sha256',
  /** Results of actions that are too large for an entry. */
  results: 'results',
  /** Definitions of MCP tools by fingerprint. */
  definitions: 'definitions',
} as const;

export type ObjectFolder = (typeof objectFolders)[keyof typeof objectFolders];
