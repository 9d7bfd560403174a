/** Authenticator response that registers a passkey. */
import * as z from 'zod';
import { base64urlSchema } from '#core/contracts/passkey.ts';

export const registerPasskeySchema = z.strictObject({
  name: z.string().min(1).max(100).meta({ description: 'Name that the person gives the passkey.' }),
  credential_id: base64urlSchema(1_400).meta({ description: 'Id of the new credential, base64url.' }),
  client_data_json: base64urlSchema(4_000).meta({ description: 'clientDataJSON, base64url.' }),
  attestation_object: base64urlSchema(8_000).meta({ description: 'attestationObject, base64url.' }),
});
export type PasskeyRegistration = z.infer<typeof registerPasskeySchema>;
