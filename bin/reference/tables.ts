import type { FunctionSpec } from '#core/contracts/function-spec.ts';
import { functions } from '#features/functions.ts';
import { routes } from '#features/routes.ts';
import { tables } from '#features/tables.ts';
import { code, codes, origin, table } from './markdown.ts';
import { sortByPath } from './openapi.ts';

export function tablesPage(): string {
  const rows = Object.entries(tables).map(([name, spec]) => [
    code(name),
    spec.holds,
    code(spec.partitionKey) + (spec.sortKey ? ` + ${code(spec.sortKey)}` : ''),
    (spec.indexes ?? [])
      .map(
        (index) =>
          `${code(index.name)}: ${codes([index.partitionKey, ...(index.sortKey ? [index.sortKey] : [])])} (${index.projection})`,
      )
      .join('; '),
    spec.ttl ? code(spec.ttl) : '',
    spec.stream ?? '',
  ]);
  return `# Tables

${origin('`core/contracts/tables.ts` and `features/added-tables.ts`')}
On demand, point-in-time recovery, encrypted; every key is a string. TTL only cleans up: code compares every time that matters.

${table(['table', 'holds', 'key', 'indexes', 'TTL', 'stream'], rows)}`;
}

export function functionsPage(): string {
  const handOvers = Object.entries<FunctionSpec>(functions).map(
    ([from, { handsOverTo }]) => [from, handsOverTo] as const,
  );
  const rights = (spec: FunctionSpec) => [
    ...(spec.startsApprovals ? ['starts approval clocks'] : []),
    ...(spec.settlesTasks ? ['releases task tokens'] : []),
    ...(spec.signs ? ['signs manifests'] : []),
    ...(spec.votes ? [`${spec.votes} votes`] : []),
    ...(spec.archives ? ['writes the archive'] : []),
    ...(spec.readsArchive ? ['reads the archive'] : []),
    ...(spec.objects ? [`configurations: ${spec.objects}`] : []),
    ...(spec.results ? [`results: ${spec.results}`] : []),
    ...(spec.definitions ? [`tool definitions: ${spec.definitions}`] : []),
    ...(spec.invokesModels ? ['models of Bedrock'] : []),
    ...(spec.handsOverTo ? [`invokes ${spec.handsOverTo}`] : []),
    ...(spec.postsToConnections ? ['posts to WebSockets'] : []),
    ...(spec.assumesBrokerRoles ? ["brokers' roles and stored secrets"] : []),
    ...(spec.queriesClusters ? ['Aurora clusters'] : []),
    ...(spec.runsCommands ? ['has the sandbox run commands'] : []),
    ...(spec.secrets?.length ? [`secrets: ${spec.secrets.join(', ')}`] : []),
  ];
  const commandsOf = Object.entries<FunctionSpec>(functions)
    .filter(([, { runsCommands }]) => runsCommands)
    .map(([from]) => `commands of ${code(from)}`);
  const runs = (name: string, spec: FunctionSpec) => [
    ...sortByPath(routes)
      .filter(({ handledBy }) => handledBy === name)
      .map(({ method, path }) => code(`${method} ${path}`)),
    ...(name === 'ws' ? ['every event of the WebSocket'] : []),
    ...handOvers.filter(([, to]) => to === name).map(([from]) => `work that ${code(from)} hands over`),
    ...(spec.schedule ? [`every ${spec.schedule.everyMinutes} min`] : []),
    ...(spec.streamsOf ?? []).map((table) => `stream of ${table}`),
    ...(name === 'approval-steps' ? ['the approval state machine'] : []),
    ...(spec.sandboxed ? commandsOf : []),
  ];
  const rows = Object.entries<FunctionSpec>(functions).map(([name, spec]) => [
    code(name),
    spec.purpose,
    runs(name, spec).join('<br>'),
    Object.entries(spec.tables)
      .map(([of, access]) => `${of}: ${access}`)
      .concat(spec.queries?.length ? [`queries: ${spec.queries.join(', ')}`] : [])
      .join('<br>'),
    rights(spec).join('<br>'),
    `${spec.timeoutSeconds} s, ${spec.memoryMb} MB${spec.streams ? ', streams' : ''}${spec.sandboxed ? `, ${spec.sandboxed.concurrency} at a time, no network` : ''}`,
  ]);
  return `# Functions

${origin('`core/contracts/functions.ts` and `core/operations/endpoints/`')}
One role each, with exactly these rights. \`get\` = read rows by key, \`put\` = put them and read nothing, \`append\` = both,
\`write\` = update as well; a function can list rows only with the queries shown. Brokers' roles, stored secrets and clusters are only those that the deployment names.

${table(['function', 'purpose', 'runs on', 'tables', 'further rights', 'size'], rows)}`;
}
