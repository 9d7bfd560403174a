/** Executor `git`: calls a Git host's REST API with the token minted for this repository and action. */

import type { Configuration } from '#core/contracts/config.ts';
import type { ActionEnvelope } from '#core/contracts/envelope.ts';
import { gitTools } from '#core/contracts/executor-tools.ts';
import type { IssuedCredential } from '#core/execution/credentials/ports.ts';
import { asText } from '#core/kernel/as-text.ts';
import { lazyImport } from '#core/kernel/lazy-import.ts';
import { callRefused, needsCredential } from './fault.ts';
import { repositoryAt, repositoryName } from './git/host.ts';
import { namedExecutor } from './named-executor.ts';
import type { Executor, HttpExchange } from './ports.ts';

const publicApi = 'https://api.github.com';
const gitOperations = lazyImport(() => import('./git/operations.ts'));

export function gitExecutor(
  { executors: { git }, credentials: { brokers } }: Pick<Configuration, 'executors' | 'credentials'>,
  exchange: HttpExchange,
): Executor {
  const hosts = new Map(
    brokers.flatMap((broker) =>
      broker.type === 'scm_app' && broker.api_url ? [[broker.name, withoutFinalSlashes(broker.api_url)]] : [],
    ),
  );
  const [hostOfBrokers, ...others] = new Set(hosts.values());
  const apiUrl = git.api_url
    ? withoutFinalSlashes(git.api_url)
    : others.length === 0
      ? (hostOfBrokers ?? publicApi)
      : undefined;
  const upstream = apiUrl === undefined ? 'the Git host' : new URL(apiUrl).host;

  /** Returns the token, which may be sent only to the host that issued it. */
  const tokenOf = (credential: IssuedCredential | undefined): string => {
    if (!credential) throw needsCredential('the Git host');
    const made = hosts.get(credential.record.broker);
    if (made !== undefined && made !== apiUrl)
      throw callRefused(`the credential was issued by a different host than ${upstream}`, 'Set executors.git.api_url.');
    return credential.secret;
  };

  return namedExecutor({
    name: 'git',
    upstreamOf: ({ protocol, tool }) => (protocol.toLowerCase() === 'git' && toolNamed(tool) ? upstream : undefined),
    async run(envelope, credential, { signal }) {
      if (apiUrl === undefined)
        throw callRefused(
          'the brokers name several Git hosts',
          'Have an operator set executors.git.api_url to one of them.',
        );
      const name = repositoryName(envelope.target);
      assertSameRepository(envelope, name);
      const host = {
        apiUrl,
        allowPrivate: git.allow_private,
        timeoutMs: git.timeout_ms,
        maxResponseBytes: git.max_response_bytes,
      };
      const repository = repositoryAt(host, name, tokenOf(credential), exchange, signal);
      const { operations } = await gitOperations();
      return operations[toolNamed(envelope.tool)!].run(repository, envelope.parameters);
    },
  });
}

const toolNamed = (tool: string) => gitTools.find((name) => name === tool.toLowerCase());

const withoutFinalSlashes = (url: string): string => url.replace(/\/+$/, '');

/** Checks that `owner` and `repo`, if given, match the target. */
function assertSameRepository({ parameters }: ActionEnvelope, name: string): void {
  const [owner, repo] = name.toLowerCase().split('/');
  const said = [parameters.owner ?? owner, parameters.repo ?? repo].map((part) => asText(part).toLowerCase());
  if (said[0] !== owner || said[1] !== repo) throw callRefused('target and parameters name different repositories');
}
