/** Additions of a deployment to the catalog. */
import * as z from 'zod';

export const catalogSection = z.strictObject({
  secret_files: z.array(z.string().min(1).max(512)).max(200).default([]).meta({
    description:
      'Globs of further files with keys or credentials, such as `**/vault-*.json`. Guard `secret-files`, session risk and the tool guard treat them as those of the catalog.',
  }),
});
