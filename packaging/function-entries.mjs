/**
 * Entry points of functions, generated from the table in `core/contracts/functions/`. A function either serves its
 * endpoints (`core/operations/endpoints/`) or has its own handler in `lambdas/<function>/`: `http.ts`, `event.ts` or,
 * if it composes its ports differently, `handler.ts`. Features have handlers in their folder `functions`.
 */
import { existsSync, globSync } from 'node:fs';
import { functions } from '../features/functions.ts';
import { routes } from '../features/routes.ts';

/**
 * Clients that only some functions bundle, keyed by the right that requires them: a member of `HostCapabilities`, and
 * its value.
 */
const capabilities = [
  {
    needs: ({ startsApprovals, settlesTasks }) => startsApprovals || settlesTasks,
    given: ['approvalClock', 'lazyStepFunctionsClock', '#adapters/aws/step-functions-clock.ts'],
  },
  {
    needs: ({ startsRollouts }) => startsRollouts,
    given: ['rolloutClock', 'lazyRolloutClock', '#adapters/aws/step-functions-clock.ts'],
  },
  { needs: ({ votes }) => votes, given: ['votes', 'lazyKmsSigner', '#adapters/aws/kms-signer.ts'] },
  {
    needs: ({ signs, verifiesSignatures }) => signs || verifiesSignatures,
    given: ['signer', 'lazyKmsSigner', '#adapters/aws/kms-signer.ts'],
  },
  {
    needs: ({ secrets = [] }) => secrets.includes('brokers'),
    given: ['brokerClients', 'brokerClients', '#adapters/aws/broker-clients.ts'],
  },
  {
    needs: ({ secrets = [] }) => secrets.some((name) => ['slack', 'github', 'webhooks'].includes(name)),
    given: ['notificationClients', 'notificationClients', '#adapters/http/notification-clients.ts'],
  },
  { needs: ({ runsCommands }) => runsCommands, given: ['executors', 'awsExecutors', '#lambdas/aws-executors.ts'] },
  {
    needs: ({ showsBreakers }) => showsBreakers,
    given: ['breakers', 'breakersTable', '#adapters/tables/breakers-table.ts'],
  },
  { needs: ({ archives }) => archives, given: ['kept', 'archiving', '#lambdas/aws-archive.ts'] },
  { needs: ({ log }) => log === 'reads', given: ['kept', 'archiveAndLog', '#lambdas/aws-archive.ts'] },
  {
    needs: ({ readsArchive, archives, log }) => readsArchive && !archives && !log,
    given: ['kept', 'archive', '#lambdas/aws-archive.ts'],
  },
];

/** Returns the source of a function's entry point. @param spec its rights */
export function entryOf(name, spec = functions[name]) {
  const own = (file) => (existsSync(`lambdas/${name}/${file}`) ? `#lambdas/${name}/${file}` : undefined);
  const [ofFeature] = globSync(`features/*/functions/${name}.ts`);
  const composed = ofFeature ? `#${ofFeature}` : own('handler.ts');
  if (composed) return `export { handler } from '${composed}';`;
  const http = own('http.ts') ?? own('event.ts');
  const answers = routes.some(({ handledBy }) => handledBy === name);
  if (!http && !answers) throw new Error(`${name} has neither endpoints nor a handler in lambdas/${name}/.`);
  const create = http
    ? `import { createHandler } from '${http}';`
    : `import { httpEndpoint } from '#lambdas/middleware/http-endpoint.ts';\nconst createHandler = (ports) => httpEndpoint('${name}', ports);`;
  const [wrap, from] = wrapperOf(spec, answers);
  const given = wrap === 'chatHandler' ? [] : capabilities.filter(({ needs }) => needs(spec)).map(({ given }) => given);
  return [
    `import { ${wrap} } from '${from}';`,
    create,
    ...given.map(([member, value, module]) => `import { ${value} as ${member} } from '${module}';`),
    `export const handler = await ${wrap}(createHandler, { ${given.map(([member]) => member).join(', ')} });`,
  ].join('\n');
}

/**
 * Returns the wrapper that adapts a handler to Lambda. All functions that handle chat calls compose their ports in the
 * same way.
 */
function wrapperOf({ streams, invokesModels, surface }, answers) {
  if (!answers) return ['eventHandler', '#lambdas/aws.ts'];
  if (invokesModels && surface === 'gateway') return ['chatHandler', '#lambdas/aws-chat.ts'];
  return streams ? ['streamingHttpHandler', '#lambdas/aws-stream.ts'] : ['httpHandler', '#lambdas/aws.ts'];
}
