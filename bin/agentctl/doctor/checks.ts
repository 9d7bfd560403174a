/** The checks of `doctor`, in display order. Each reads data that an operator could also read by hand [cli.status]. */

import { countText } from '#core/kernel/count-text.ts';
import { count, type Fields, fields, list, text } from '#core/kernel/json-fields.ts';
import packageJson from '#package' with { type: 'json' };
import type { Api } from '../client.ts';
import { type Check, otherRelease, readOperation } from './check.ts';
import { checkDemo, checkDemoBrokers } from './demo.ts';
import { type CheckResult, fail, ok, unknown, warn } from './finding.ts';

/** Clock difference from which tokens and signatures fail. */
const maxClockSeconds = 60;
const noticeableClockSeconds = 5;
const longPendingSeconds = 1800;

async function reach(api: Api): Promise<CheckResult[]> {
  const { headers, bytes } = await api.open('health');
  const chunks = [];
  for await (const chunk of bytes) chunks.push(chunk);
  const version = text(fields(JSON.parse(Buffer.concat(chunks).toString('utf8'))).version) ?? 'unknown';
  const own = packageJson.version;
  return [
    version === own
      ? ok(`the gateway answers; its version is ${version}, the same as agentctl's`)
      : warn(`the gateway has version ${version}, agentctl ${own}`, 'use the agentctl of the same release'),
    clockOf(headers.get('date')),
  ];
}

function clockOf(date: string | null): CheckResult {
  const there = Date.parse(date ?? '');
  if (Number.isNaN(there))
    return unknown(
      "the gateway's response has no Date header",
      'compare the clocks by hand: a proxy in between may drop the header',
    );
  const seconds = Math.round(Math.abs(Date.now() - there) / 1000);
  const found = `the clocks differ by ${seconds} s`;
  if (seconds >= maxClockSeconds)
    return fail(found, 'synchronise the clocks with NTP: otherwise tokens and signatures fail');
  return seconds >= noticeableClockSeconds ? warn(found, 'synchronise the clocks with NTP') : ok(found);
}

async function models(api: Api): Promise<CheckResult[]> {
  const names = list((await readOperation(api, 'listModels')).data).length;
  return [
    names > 0
      ? ok(`the gateway surface answers and offers ${countText(names, 'model')}`)
      : warn('no model is offered', "list models under a provider, and allow them in the tenant's allowed_models"),
  ];
}

async function key(api: Api): Promise<CheckResult[]> {
  const { role, kind, person, name, key_id } = await readOperation(api, 'whoami');
  return [ok(`the key ${text(person) ?? text(name) ?? text(key_id)} has role ${role} and kind ${kind}`)];
}

async function health(api: Api): Promise<CheckResult[]> {
  const body = await readOperation(api, 'status');
  const dependencies = list(body.dependencies);
  const plane = fields(body.federation);
  const stale = text(plane.refused) ?? text(plane.stale);
  const down = dependencies.filter(({ state }) => state === 'down' || state === 'degraded');
  const reasons = new Set(down.map(({ reason }) => reason));
  const channels = down.filter(({ kind }) => kind === 'channel').map(({ name }) => name);
  return [
    // A stale control plane is reported below, with its reason.
    ...down.filter(({ kind }) => kind !== 'control_plane' || stale === undefined).map(dependencyFound),
    ...(down.length === 0 ? [ok(`all ${dependencies.length} dependencies are up or not used yet`)] : []),
    // Problems of the configuration file are also listed as dependencies.
    ...((body.warnings as unknown[]) ?? [])
      .filter((each) => !reasons.has(each as string))
      .map((each) => warn(String(each), 'change the configuration, or accept it knowingly')),
    ...(count(body.oldest_pending_seconds) > longPendingSeconds
      ? [
          warn(
            `an approval has waited for ${Math.round(count(body.oldest_pending_seconds) / 60)} min`,
            'agentctl pending',
          ),
        ]
      : []),
    ...list(fields(body.deliveries).failing)
      .filter(({ channel }) => !channels.includes(channel))
      .map(({ channel, error }) => warn(`a notification over ${channel} failed: ${error}`, channelTodo(channel))),
    ...list(body.budgets)
      .filter(({ tier }) => tier === 'exhausted' || tier === 'blocked')
      .map(({ account }) => warn(`the budget ${account} is spent`, 'raise it in budgets, or wait for the next period')),
    ...(stale === undefined
      ? []
      : [
          fail(
            `the configuration of the control plane was not adopted: ${stale}`,
            'check federation.control_plane_url and the token',
          ),
        ]),
  ];
}

const channelTodo = (name: unknown) => `check approvals.channels.${name}: its address, its secrets, and the network`;

/** Advice for each kind of dependency; the finding itself gives the reason. */
const dependencyTodo: Readonly<Record<string, (name: unknown) => string>> = {
  provider: (name) => `check base_url and api_key_env of the provider ${name}, and the network`,
  mcp_server: (name) => `check the url or command of the server ${name} in upstreams.mcp, and its credentials`,
  http_service: (name) => `check base_url of the service ${name} in upstreams.http, and the network`,
  channel: channelTodo,
  control_plane: () => 'check federation.control_plane_url and the token, and the network between the two',
};

const dependencyFound = ({ kind, name, state, reason, needed }: Fields): CheckResult => {
  const found = `${kind} ${name} is ${state}${text(reason) ? `: ${reason}` : ''}`;
  if (kind === 'projection')
    return fail(found, name === 'chains' ? 'see "a chain does not verify" in the runbook' : 'agentctl archive repair');
  if (kind === 'configuration')
    return fail(found, 'agentctl config check <file> shows what is wrong; correct the file and save it');
  if (needed)
    return fail(
      found,
      'start it, or check its address and credentials: the gateway makes no decisions until it responds',
    );
  // A model that callers may request does not respond [cli.status].
  if (kind === 'provider' && state === 'down') return fail(found, dependencyTodo.provider!(name));
  return warn(found, dependencyTodo[String(kind)]?.(name) ?? 'agentctl status has the details');
};

async function alerts(api: Api): Promise<CheckResult[]> {
  const open = list((await readOperation(api, 'listAlerts', { state: 'active' })).alerts);
  if (open.length === 0) return [ok('no alert is active')];
  return open.map(({ severity, message }) =>
    (severity === 'critical' ? fail : warn)(String(message), 'agentctl alerts; acknowledge it once you look into it'),
  );
}

async function evidence(api: Api): Promise<CheckResult[]> {
  const { valid, total_entries, cursor } = await readOperation(api, 'verifyAudit');
  const found = `${count(total_entries)} evidence entries ${text(cursor) ? 'of the first sessions ' : ''}were verified`;
  return [
    valid === true ? ok(found) : fail('an evidence chain is broken', 'agentctl verify names the session and the entry'),
  ];
}

async function tools(api: Api): Promise<CheckResult[]> {
  const all = list((await readOperation(api, 'listMcpTools')).tools);
  const waiting = all.filter(({ state }) => state !== 'accepted');
  return waiting.length === 0
    ? [ok(all.length === 0 ? 'no MCP tools yet' : `${all.length} MCP tools, all accepted`)]
    : [
        warn(
          `${waiting.length} tools are new or changed: ${waiting
            .map(({ tool }) => tool)
            .slice(0, 5)
            .join(', ')}`,
          'agentctl mcp tools, then agentctl mcp accept',
        ),
      ];
}

async function planes(api: Api): Promise<CheckResult[]> {
  const all = list((await readOperation(api, 'federationPlanes')).planes);
  if (all.length === 0) return [ok('no data planes')];
  return all.map(planeFound);
}

/** Advice for each state of a data plane; `docs/how-to/serve-data-planes.md` has the details. */
const planeTodo: Readonly<Record<string, string>> = {
  never_seen: 'start the plane, and compare its token and federation.control_plane_url',
  silent: 'check the plane, and the network between the two',
  unhealthy: 'agentctl federation planes says why; repair it at the plane',
  conflict: 'give each gateway a plane and a token of its own; replace a token that was copied',
  diverged: "compare the plane's store with its archive and backup, then run agentctl federation accept",
};

function planeFound({ name, state, behind }: Fields): CheckResult {
  const lag = count(behind);
  const place = state === 'never_seen' ? '' : lag < 0 ? `, ${-lag} versions ahead` : `, ${lag} versions behind`;
  const found = `data plane ${name} is ${String(state).replace('_', ' ')}${place}`;
  const todo = planeTodo[String(state)];
  if (state === 'diverged') return fail(`${found}: its evidence differs from its report`, todo!);
  if (state !== 'ok') return warn(found, todo ?? 'agentctl federation planes');
  if (lag < 0)
    return fail(
      found,
      'this control plane was restored to an earlier state: store the configuration again until its version is higher',
    );
  return lag === 0
    ? ok(found)
    : warn(found, 'the plane retries automatically; check it if this continues for more than a few minutes');
}

async function supplyChain(api: Api): Promise<CheckResult[]> {
  const { parts, require_signed } = await readOperation(api, 'supplyChain');
  const unsigned = list(parts).filter(({ verified }) => verified !== true);
  if (unsigned.length === 0) return [ok('every pack and plugin in force is verified')];
  const found = `not verified: ${unsigned.map(({ name }) => name).join(', ')}`;
  return [require_signed ? fail(found, 'agentctl supply-chain list') : ok(`${found}; signatures are not required`)];
}

const otherSurface =
  'check --url: it must be the admin address of a gateway without a path, not its gateway or MCP address';
const otherGateway =
  'set AGENTCTL_GATEWAY: the gateway address lists the models, and it may differ from the admin address';
export const checks: readonly Check[] = [
  { name: 'gateway', run: reach, absent: otherSurface, needed: true },
  { name: 'key', run: key, absent: otherSurface, needed: true },
  { name: 'models', run: models, absent: otherGateway, unreachable: otherGateway },
  { name: 'demo', run: checkDemo, absent: otherRelease },
  { name: 'demo keys', run: checkDemoBrokers, absent: otherRelease },
  { name: 'health', run: health, absent: otherRelease },
  { name: 'alerts', run: alerts, absent: otherRelease },
  { name: 'evidence', run: evidence, absent: otherRelease },
  { name: 'tools', run: tools, absent: otherRelease },
  { name: 'signatures', run: supplyChain, absent: otherRelease },
  { name: 'federation', run: planes, absent: otherRelease },
];
