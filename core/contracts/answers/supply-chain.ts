/** Packs and filters in force, in responses. */
import * as z from 'zod';
import { artifactKinds } from '../plugin-act.ts';
import { sha256Hex } from './parts.ts';

export const activePartSchema = z.strictObject({
  kind: z.enum(artifactKinds),
  name: z.string(),
  /** Digest of the module's bytes or of the pack's canonical JSON; null for a module that is read from its path. */
  sha256: sha256Hex.nullable(),
  verified: z.boolean(),
  signed_as: z.string().optional().meta({ description: 'Name and version in the signed index.' }),
  signer: z.string().optional().meta({ description: 'Key id of the publisher.' }),
  reason: z.string().optional().meta({ description: 'Why it is not verified.' }),
});
