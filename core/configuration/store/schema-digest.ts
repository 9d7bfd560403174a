/**
 * Digest of the code of the configuration's schema. `bundle.mjs` puts it here; undefined where the sources run. It is
 * stored with each version, so that functions of the same release read its body without the schema library.
 */
export const schemaDigest: string | undefined = undefined;
