/** Registration of passkeys by their owners. The documentation page is docs/how-to/sign-approvals-with-a-passkey.md. */
import * as z from 'zod';
import { count, sha256Hex, time } from '#core/contracts/answers/parts.ts';
import { operation } from '#core/operations/endpoint.ts';
import type { Feature } from '../feature.ts';
import { registerPasskeySchema } from './request.ts';

const relyingParty = z.strictObject({ id: z.string(), origin: z.string() }).meta({
  description: 'Host and page that passkeys are bound to.',
});
const passkey = z.strictObject({
  credential_id: z.string(),
  name: z.string(),
  rp_id: z.string(),
  origin: z.string(),
  registered_at: time,
  evidence_hash: sha256Hex,
});

export const feature = {
  operations: {
    listPasskeys: operation({
      route: 'GET /admin/v1/passkeys',
      function: 'approvals',
      role: 'operator',
      humansOnly: true,
      summary: "The caller's own passkeys",
      output: () => z.strictObject({ rp: relyingParty, passkeys: z.array(passkey), most: count }),
      run: async () => (await import('#features/passkeys/passkeys.ts')).listPasskeys,
    }),
    registerPasskey: operation({
      route: 'POST /admin/v1/passkeys',
      function: 'approvals',
      role: 'operator',
      humansOnly: true,
      summary: 'Register a passkey',
      status: 201,
      input: () => registerPasskeySchema,
      example: {
        name: 'laptop',
        credential_id: 'GxbDC98lCOAo0nBhPMp0Fw',
        client_data_json:
          'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIiwiY2hhbGxlbmdlIjoiWTJoaGJHeGxibWRsTFc5bUxYUm9aUzFuWVhSbGQyRjUiLCJvcmlnaW4iOiJodHRwczovL2dhdGV3YXkuZXhhbXBsZS5jb20iLCJjcm9zc09yaWdpbiI6ZmFsc2V9',
        attestation_object:
          'o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YViUlYxP_qZydfYuY8PPhUsMEKCfbpyGvcPZC5fpRKhihY1FAAAAAAAAAAAAAAAAAAAAAAAAAAAAEBsWwwvfJQjgKNJwYTzKdBelAQIDJiABIVggcLtGr1Y56FRf2mr9YW4l6gU78py8VYQfLYDDOn3GidMiWCADuHUGibKnFY6NjCZWi-1RaDBWfn1S9Ey1WcJ1i-4L2g',
      },
      output: () => passkey,
      run: async () => (await import('#features/passkeys/passkeys.ts')).registerPasskey,
    }),
    passkeyChallenge: operation({
      route: 'POST /admin/v1/passkeys/challenge',
      function: 'approvals',
      role: 'operator',
      humansOnly: true,
      summary: 'Begin to register a passkey',
      output: () =>
        z.strictObject({
          challenge: z.string().meta({ description: 'Valid for five minutes and one registration, base64url.' }),
          person: z.string(),
          rp: relyingParty,
          algorithm: z.int().meta({ description: 'COSE algorithm that the key must have: -7, ES256.' }),
        }),
      run: async () => (await import('#features/passkeys/passkeys.ts')).passkeyChallenge,
    }),
    removePasskeyById: operation({
      route: 'DELETE /admin/v1/passkeys/{id}',
      function: 'approvals',
      role: 'operator',
      humansOnly: true,
      summary: 'Remove a passkey',
      output: () => z.strictObject({ removed: z.string() }),
      run: async () => (await import('#features/passkeys/passkeys.ts')).removePasskeyById,
    }),
  },
} satisfies Feature;
