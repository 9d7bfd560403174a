/**
 * Digest of the configuration schema's code. `bundle.mjs` inserts it here; it is undefined when running from source. It
 * is stored with each version, so that functions of the same release can read the body without the schema library.
 */
export const schemaDigest: string | undefined = undefined;
