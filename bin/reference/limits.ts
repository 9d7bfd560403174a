import { resultSizes } from '#core/actions/kept-result.ts';
import { approvalLeaseSeconds } from '#core/approvals/approval.ts';
import { socketLimits } from '#core/chat/socket-message.ts';
import { maxYamlBytes } from '#core/configuration/load/yaml.ts';
import { chatJson, chatSizes } from '#core/contracts/chat.ts';
import { sessionPattern, sizes } from '#core/contracts/envelope.ts';
import { longestSandboxMs } from '#core/execution/executors/sandbox-message.ts';
import { maxNesting, maxValues } from '#core/kernel/json.ts';
import { fields } from '#core/kernel/json-fields.ts';
import { wrongKeyRate } from '#core/limits/admissions.ts';
import { reservationLeaseSeconds } from '#core/limits/ports.ts';
import { maxShards } from '#core/limits/shards.ts';
import { defaultStateBudget } from '#core/policy/rules/analysis/analyse.ts';
import { configurationSchema } from '#features/configuration.ts';
import { functions } from '#features/functions.ts';
import { heldBodyBytes, mostConnections } from '../local/open-requests.ts';
import { leastBytes } from '../local/stalled-transfers.ts';
import { code, origin, table } from './markdown.ts';

export function limitsPage(): string {
  const defaults = configurationSchema.parse({ version: 1, tenants: [{ id: 'default', api_keys: ['k'] }] });
  const { admin, approvals, server, behavior, credentials, executors } = defaults;
  const { shell, sql } = executors;
  const { concurrency, diskMb } = functions.sandbox.sandboxed!;
  const rows = [
    ['an action (request body)', `${sizes.envelopeBytes} bytes`, '413, -32602'],
    ['`target`', `${sizes.targetBytes} bytes`, '400'],
    [
      '`protocol`, `tool`, `capability`, `actor.agent`',
      `1 to ${sizes.nameCharacters} characters, no control characters`,
      '400',
    ],
    ['`justification`', `${sizes.justificationCharacters} characters`, '400'],
    ['a session id', `${code(sessionPattern.source)}, not only dots`, '400'],
    ['nesting of a body', `${maxNesting} levels`, '400'],
    ['values (members and elements) of a body', `${maxValues}; ${chatJson.values} of a chat`, '413, -32602'],
    [
      'a request body of the gateway',
      `${server.max_body_bytes} bytes unless \`server.max_body_bytes\` says otherwise`,
      '413',
    ],
    ['a request on AWS', '10 MB at API Gateway, 6 MiB at the function after wrapping in JSON', '413'],
    [
      'requests of a key to the admin surface',
      `${admin.requests_per_second} per second unless \`admin.requests_per_second\` says otherwise, with bursts of up to 5 seconds' worth`,
      '429',
    ],
    ['wrong keys from one address', `${wrongKeyRate.burst}, then ${wrongKeyRate.perSecond} a second`, '429'],
    ['a body before the key is known', 'is not read', '401; closed'],
    [
      'a WebSocket without a key',
      `${socketLimits.messagesBeforeKey} messages of ${socketLimits.bytesBeforeKey} bytes, ${socketLimits.authWithinMs / 1000} s; ${socketLimits.connections / 10} connections, then the oldest is closed`,
      '1009, 4429, 4401; 429',
    ],
    ['the headers of a request', '10240 bytes, within 10 s', '413, 400'],
    ['a body that arrives slowly', `${leastBytes} bytes per minute; 10 minutes for the whole request`, '400; closed'],
    [
      'connections of a listener on this machine',
      `${mostConnections}; beyond it, connections that never carried a request from a known caller are closed first, then idle ones`,
      'closed',
    ],
    [
      'open requests of one key on a listener',
      `as many as are free out of ${mostConnections / 2} (people: out of ${mostConnections / 8})`,
      '429',
    ],
    ['WebSockets of one key', `as many as are free out of ${socketLimits.connections * 0.9} in a process`, '4429'],
    ['bodies of open requests of one key', `as many bytes as are free out of ${heldBodyBytes} in a process`, '429'],
    ['a response on AWS', '15 minutes; 10 MB unmetered, then 2 MB/s', 'ends; recorded as aborted'],
    ['a WebSocket on AWS', '2 hours, 10 minutes without a message, 128 KB a message in frames of 32 KB', 'closed'],
    ['output of a call that names no maximum', `${chatSizes.defaultMaxTokens} tokens are reserved`, 'settled as used'],
    [
      'the lease on a reservation',
      `${reservationLeaseSeconds} s, renewed while the call runs`,
      'charged if begun, else released',
    ],
    ['counter items of a tenant', `${maxShards}, split and merged by load`, 'busy counters: 503'],
    ['a configuration', `${maxYamlBytes} bytes`, '400'],
    [
      'requests pending approval',
      `${approvals.max_pending_per_key} per key, ${approvals.max_pending_per_tenant} per tenant (\`approvals.max_pending_…\`)`,
      '429, no reviewer is notified',
    ],
    [
      'time to decide an approval',
      `${approvals.timeout_seconds} s unless \`approvals.timeout_seconds\` or the rule says otherwise`,
      'denied by system',
    ],
    ['time to use an approval', 'the same time again, counted from the decision', 'review, `expired`'],
    [
      'a denial applies to identical calls',
      'the rest of its session (`approvals.denial_lifetime`)',
      'then a new request',
    ],
    ['the lease on an executing approval', `${approvalLeaseSeconds} s`, 'outcome `unknown`'],
    ['holding a call (`approvals.hold_seconds`)', '0 to 50 s', 'then review'],
    ['policy versions kept', '20', 'older ones are dropped'],
    ['policy analysis', `${defaultStateBudget} automaton states`, 'warning «not analysed»'],
    ['a credential', '600 s unless the grant says otherwise, 3600 s at most', 'expired'],
    [
      'a capability ticket',
      `${credentials.tickets.ttl_seconds} s unless \`credentials.tickets.ttl_seconds\` says otherwise, used once`,
      'refused',
    ],
    [
      'a result in an entry or an approval',
      `${resultSizes.inlineBytes} bytes of canonical JSON`,
      'object store, by digest',
    ],
    [
      'a result in a response',
      `${resultSizes.answeredBytes} bytes; over MCP, as many as \`max_result_bytes\` allows`,
      '`result_withheld: too_large`',
    ],
    ['rows of a SQL result', `${sql.max_rows} unless \`executors.sql.max_rows\` says otherwise`, '`truncated`'],
    ['a command', `${shell.timeout_ms / 1000} s, ${shell.max_output_bytes} bytes of each output`, 'killed; cut off'],
    [
      'a command on AWS',
      `${longestSandboxMs / 1000} s, with \`-c concurrency=reserved\` ${concurrency} at a time (\`-c sandboxConcurrency\`), ${diskMb} MB of disk`,
      'killed; refused, nothing ran',
    ],
    ['a page of a list', '1 to 200 items, 50 unless `limit` says otherwise', '400'],
    ...('manifests' in defaults
      ? [['manifest enforcement', code(String(fields(defaults.manifests).enforcement_mode)), '']]
      : []),
    ['session risk that stops a session', behavior.kill_switch_score, '403'],
  ];
  return `# Limits

${origin('the constants and defaults of the code')}
${table(['of what', 'limit', 'beyond it'], rows)}`;
}
