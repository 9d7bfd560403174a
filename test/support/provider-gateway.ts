/** A gateway over the embedded store, in front of an OpenAI-type provider over real HTTP. */
import { startFakeProvider } from './fake-providers.ts';
import { testPorts } from './ports.ts';

/** Fake provider of the running test file. */
export let fake: Awaited<ReturnType<typeof startFakeProvider>>;
export let gateway: Awaited<ReturnType<typeof testPorts>>;

/** Filters with each action, before the call and after it. */
export const filters = `policies:
  input:
    - { name: no-secret, type: keyword, action: block, keywords: ["project bluebird"] }
    - { name: ask, type: keyword, action: review, keywords: ["quarterly numbers"] }
    - { name: no-mail, type: pii, action: redact, entities: [email] }
  output:
    - { name: no-leak, type: keyword, action: block, keywords: ["top secret"] }
    - { name: hide-mail, type: pii, action: redact, entities: [email] }
`;

interface Settings {
  readonly tenants?: string;
  readonly extra: string;
}

/** @param settings YAML of the configuration; providers may name the secret `PROVIDER_KEY`. */
export function useProviderGateway(settings: (baseUrl: string) => Settings): void {
  beforeAll(async () => {
    fake = await startFakeProvider({ kind: 'openai' });
    gateway = await testPorts({ secrets: { PROVIDER_KEY: 'sk-provider-0123456789' }, ...settings(fake.baseUrl) });
  });
  afterAll(async () => {
    await fake?.stop();
    await gateway?.stop();
  });
}

/** Sends calls to another gateway during the work, and stops it at the end. */
export async function withGateway(other: typeof gateway, work: () => Promise<void>): Promise<void> {
  const passing = gateway;
  gateway = other;
  try {
    await work();
  } finally {
    gateway = passing;
    await other.stop();
  }
}
