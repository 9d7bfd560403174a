/** Plugin installs, removals and refusals as recorded in evidence [supply-chain.in-force]. */
import * as z from 'zod';

/** Refusal reasons, one per verification check. */
export const refusalReasons = [
  'envelope_malformed',
  'payload_type',
  'predicate_type',
  'statement_malformed',
  'statement_mismatch',
  'unknown_key',
  'bad_signature',
  'key_type',
  'delegation_missing',
  'delegation_expired',
  'issued_in_future',
  'key_revoked',
  'artifact_revoked',
  'sequence_older',
  'sequence_reused',
  'root_changed',
  'name_invalid',
  'version_invalid',
  'url_invalid',
  'plugin_duplicate',
  'plugin_unknown',
  'plugin_yanked',
  'downgrade',
  'size_exceeded',
  'size_mismatch',
  'artifact_missing',
  'digest_mismatch',
  'abi_unsupported',
  'abi_mismatch',
  'permission_undeclared',
  'permission_unknown',
  'not_https',
  'private_address',
  'too_many_redirects',
  'download_failed',
  'download_truncated',
  'in_use',
  'unsigned',
] as const;

export const artifactKinds = ['wasm_filter', 'policy_pack'] as const;
export const pluginActs = ['install', 'remove', 'refuse'] as const;

/** Recorded acts. The gateway records uploads itself, after verification. */
export const recordedActs = [...pluginActs, 'upload'] as const;

/**
 * Returns the schema for a string from a possibly hostile index: bounded, on a single line, and never used as a name.
 */
const shortText = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u, 'one line without control characters');
const hex = z.string().regex(/^[0-9a-f]{64}$/, 'SHA-256 in lower-case hex');

const about = {
  name: shortText(64).meta({ description: 'Name of the plugin, as it was requested.' }),
  version: shortText(32).optional(),
  kind: z.enum(artifactKinds).optional(),
  sha256: hex.optional().meta({ description: "SHA-256 of the plugin's bytes, in hex." }),
  done_at: z.iso.datetime().optional().meta({ description: 'When it was done, if it is reported later.' }),
  signer: hex.optional().meta({ description: 'Key id of the publisher that signed it.' }),
};

/** Act on a plugin. Installs and removals identify the changed plugin; refusals state their reason. */
export const pluginAct = z.discriminatedUnion('act', [
  z.strictObject({ act: z.literal('install'), ...about, version: shortText(32), sha256: hex, signer: hex }),
  z.strictObject({ act: z.literal('remove'), ...about, version: shortText(32), sha256: hex }),
  z.strictObject({
    act: z.literal('refuse'),
    ...about,
    reason: z.enum(refusalReasons),
    message: shortText(500).optional().meta({ description: 'What was found and what is allowed.' }),
  }),
]);
export type PluginAct = z.infer<typeof pluginAct>;

export const moduleUpload = z.strictObject({
  name: shortText(64).meta({ description: 'Name of the filter or plugin, for evidence.' }),
  wasm: z.base64().min(1).meta({ description: 'The module in base 64.' }),
});

/** Returns the entry's `body.action`. */
export const actionOf = ({ act }: { readonly act: (typeof recordedActs)[number] }): string => `plugin.${act}`;

/** Converts a refusal's text to a single line of bounded length. */
export const oneLine = (text: string, most: number): string =>
  text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, most);
