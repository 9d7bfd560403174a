/** Properties of identity for any key, header and session name. */
import fc from 'fast-check';
import { authenticate } from '#core/configuration/identity/authenticate.ts';
import { buildIdentities, type ResolvedKey } from '#core/configuration/identity/identities.ts';
import { resolveSession } from '#core/configuration/identity/sessions.ts';
import { sessionsOfProcess } from '#core/configuration/identity/unnamed-sessions.ts';
import { sessionPattern } from '#core/contracts/envelope.ts';
import { sha256 } from '#core/kernel/canonical.ts';

const keyText = fc.stringMatching(/^[\x21-\x7e]{1,40}$/);
const resolved = (value: string): ResolvedKey => ({
  key_sha256: sha256(value),
  tenant: 't',
  role: 'operator',
  kind: 'agent',
  name: value,
});
const identitiesOf = (values: readonly string[]) =>
  buildIdentities({ keys: values.map(resolved), people: [], firstTenant: 't' }).identities;

test('either header accepts every known key and no other string', () => {
  fc.assert(
    fc.property(fc.uniqueArray(keyText, { minLength: 1, maxLength: 8 }), fc.string(), (values, other) => {
      const identities = identitiesOf(values);
      for (const value of values) {
        expect(authenticate({ 'X-API-Key': value }, identities).name).toBe(value);
        expect(authenticate({ Authorization: `Bearer ${value}` }, identities).name).toBe(value);
      }
      fc.pre(!values.includes(other));
      expect(() => authenticate({ 'x-api-key': other }, identities)).toThrow('Not authenticated');
    }),
    { numRuns: 100 },
  );
});

test('any combination of headers yields a known principal or a 401', () => {
  const identities = identitiesOf(['key']);
  const header = fc.oneof(fc.string(), fc.array(fc.string(), { maxLength: 3 }), fc.constant(undefined));
  const name = fc.oneof(
    fc.constantFrom('x-api-key', 'X-Api-Key', 'authorization', 'Authorization', '__proto__'),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.dictionary(name, header), (headers) => {
      try {
        expect(authenticate(headers, identities).name).toBe('key');
      } catch (thrown) {
        expect(thrown).toMatchObject({ code: 'authentication_error' });
      }
    }),
    { numRuns: 300 },
  );
});

test('a session id always has a permitted form, or is refused', () => {
  const named = fc.option(fc.oneof(fc.string(), fc.stringMatching(sessionPattern)), { nil: undefined });
  fc.assert(
    fc.property(named, named, named, fc.string(), fc.nat(2 ** 42), (body, header, mcp, keyId, now) => {
      try {
        expect(
          resolveSession({ body, header, mcp, keyId, unnamedSessions: sessionsOfProcess('i'), now }).session_id,
        ).toMatch(sessionPattern);
      } catch (thrown) {
        expect(thrown).toMatchObject({ code: 'invalid_request' });
      }
    }),
    { numRuns: 300 },
  );
});
