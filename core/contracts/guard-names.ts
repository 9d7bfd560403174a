/** Guard names, kept apart from the schemas so that functions need not load the schema library. */

/** Names of the catalog's guards, for use in packs. */
export const catalogGuards = [
  'secret-files',
  'key-files',
  'system-files',
  'secret-tools',
  'secret-addresses',
  'climbing-out',
  'cluster-secrets',
] as const;
export type CatalogGuard = (typeof catalogGuards)[number];

export const guardName = (guard: CatalogGuard | { readonly name: string }): string =>
  typeof guard === 'string' ? guard : guard.name;
