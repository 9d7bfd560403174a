/** Schemas of the signed documents: the plugin index, delegations to publishers, revocations, and artifacts. */
import * as z from 'zod';
import { artifactKinds } from '#core/contracts/plugin-act.ts';

export const pluginSizes = { artifactBytes: 50 * 1024 * 1024, indexBytes: 8 * 1024 * 1024 } as const;

const sequence = z.int().min(1);
const date = z.iso.datetime();
const digest = z.string().regex(/^[0-9a-f]{64}$/, 'a SHA-256 in lower-case hex');

/** ASCII only, so that different names look different. */
const pluginName = z
  .string()
  .max(64)
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'lower-case ASCII letters, digits and single hyphens');

const fileName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
/** An HTTPS address, or the name of a file stored next to the index. */
const location = z
  .string()
  .max(2048)
  .refine(isLocation, 'an https URL without credentials and fragment, or a file name');

/** A filter has an ABI and a phase. A policy pack has neither, and its bytes are the pack's canonical JSON. */
export const artifactPredicate = z.strictObject({
  name: pluginName,
  version: z.string().regex(/^(?:0|[1-9]\d{0,8})(?:\.(?:0|[1-9]\d{0,8})){2}$/, 'three numbers such as 1.4.0'),
  kind: z.enum(artifactKinds),
  abi: z.string().max(64).optional(),
  phase: z.enum(['input', 'output', 'both']).optional(),
  permissions: z.array(z.string().max(64)).max(16),
  size: z.int().min(1),
});
export type ArtifactPredicate = z.infer<typeof artifactPredicate>;

export const pluginEntry = artifactPredicate.extend({
  description: z.string().max(1000),
  author: z.string().max(200),
  url: location,
  sha256: digest,
  tags: z.array(z.string().max(64)).max(32),
  yanked: z.boolean().optional(),
  /** The publisher's DSSE envelope over the artifact. */
  envelope: z.unknown(),
});
export type PluginEntry = z.infer<typeof pluginEntry>;

export const indexPredicate = z.strictObject({
  format: z.literal(1),
  sequence,
  issued_at: date,
  plugins: z.array(pluginEntry).max(5000),
});
export type PluginIndex = z.infer<typeof indexPredicate>;

export const delegationsPredicate = z.strictObject({
  sequence,
  delegations: z
    .array(
      z.strictObject({
        public_key: z.string().max(1000),
        /** Names, or prefixes ending in `*`. */
        patterns: z
          .array(z.string().regex(/^[a-z0-9-]{0,64}\*?$/))
          .min(1)
          .max(64),
        not_after: date,
      }),
    )
    .max(500),
});

export const revocationsPredicate = z.strictObject({
  sequence,
  keys: z.array(digest).max(5000),
  artifacts: z.array(digest).max(50_000),
});

/** The published file: three envelopes signed by the root key. */
export const indexFile = z.strictObject({ index: z.unknown(), delegations: z.unknown(), revocations: z.unknown() });

export const isFileName = (url: string): boolean => fileName.test(url);

function isLocation(text: string): boolean {
  if (isFileName(text)) return true;
  const url = URL.parse(text);
  return url?.protocol === 'https:' && url.href === text && !url.username && !url.password && !url.hash;
}
