/** Passkeys with which people sign approving votes (WebAuthn). */
import * as z from 'zod';

/** Returns a schema for base64url strings of at most `most` characters. */
export const base64urlSchema = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .regex(/^[\w-]+$/, 'base64url without padding');

/** Response of an authenticator to the challenge for one approval. */
export const assertionSchema = z.strictObject({
  credential_id: base64urlSchema(1_400).meta({ description: 'Id of the registered passkey, base64url.' }),
  authenticator_data: base64urlSchema(2_000).meta({ description: 'authenticatorData, base64url.' }),
  client_data_json: base64urlSchema(4_000).meta({ description: 'clientDataJSON, base64url.' }),
  signature: base64urlSchema(1_000).meta({ description: 'Signature of the authenticator, base64url.' }),
});
export type Assertion = z.infer<typeof assertionSchema>;

export interface Passkey {
  readonly credential_id: string;
  readonly name: string;
  /** COSE key, base64url. */
  readonly cose_key: string;
  /** The same key as PEM (SPKI). */
  readonly public_key: string;
  /** The authenticator's signature counter, or 0 if it does not count. */
  readonly sign_count: number;
  readonly rp_id: string;
  readonly origin: string;
  readonly registered_at: string;
  /** Hash of the evidence entry for its registration. */
  readonly evidence_hash: string;
}

/** Row with all of one person's passkeys. */
export interface PasskeyRow {
  readonly person: string;
  readonly passkeys: readonly Passkey[];
  /** Challenge of a registration that has been started. */
  readonly challenge?: { readonly value: string; readonly expires_at: string };
  /** Changes with every write, so that only one of two concurrent writes succeeds. */
  readonly revision: string;
}
