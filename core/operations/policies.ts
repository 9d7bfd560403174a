/** Policy versions, configuration, simulation and explanation. */

import { policyText } from '#core/actions/call-work.ts';
import { enforceBindings } from '#core/configuration/checks/bound-secrets.ts';
import { compareConfigurations, liftedGuards } from '#core/configuration/compare.ts';
import { troubleAsRead } from '#core/configuration/file-trouble.ts';
import { diffLevels } from '#core/configuration/level-diff.ts';
import { buildPolicyDocument } from '#core/configuration/load/policy-document.ts';
import type { VersionRow } from '#core/configuration/ports.ts';
import { readPlaces } from '#core/configuration/store/places.ts';
import { refreshKeys, rollback, storeVersion } from '#core/configuration/store/versions.ts';
import { asRead, placesAsRead, warningsAsRead } from '#core/configuration/tenant-view.ts';
import type { Configuration } from '#core/contracts/config.ts';
import { problemsError } from '#core/contracts/problems.ts';
import type { ToolPolicyDocument } from '#core/contracts/tool-policy.ts';
import { GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import { diffPolicies } from '#core/policy/rules/analysis/diff.ts';
import { maskSecrets } from '#core/text/secrets/masked.ts';
import { assertModules, loadText } from './load-text.ts';
import type { Call, Operation } from './operation.ts';
import { versionNumber, versionOf } from './policy-version.ts';
import { recordAct } from './record.ts';
import { refusedPartsRecorded } from './unsigned-parts.ts';
import { versionAct } from './version-act.ts';

export const getConfig: Operation = async ({ snapshot }) => ({
  headers: { etag: `"${snapshot.version}"` },
  body: { version: snapshot.version, sha256: snapshot.sha256, configuration: snapshot.configuration },
});

/** Stores a configuration (YAML or JSON text) as a new version if it is valid. */
export const putConfig: Operation = async (call) => {
  const { ports, principal } = call;
  const reason = reasonOf(call);
  const over = overOf(call);
  over?.(call.snapshot.version);
  const loaded = await refusedPartsRecorded(call, () => loadText(ports, call.text(), fileOf(call)));
  const { configuration: before } = await ports.snapshots.refresh();
  await assertIndexFollows(before, loaded.configuration);
  const rules = { before, listed: ports.listedSecretNames };
  const { names } = await ports.configStore.bindings();
  const { configuration, warnings } = enforceBindings({ ...rules, bound: names }, loaded.configuration);
  await assertModules(ports, configuration);
  const whole = await underControlPlane(ports, configuration);
  const row = await storeVersion(ports, whole, principal.person ?? principal.name, 'api', {
    places: loaded.places,
    over,
    // Another change may have bound a name in the meantime.
    bind: (bound) => enforceBindings({ ...rules, bound }, configuration).bound,
  });
  await adopted(call, 'config.put', row, reason);
  const left = leftControlPlane(before, configuration);
  return { status: 201, body: { ...row, warnings: [...loaded.warnings, ...warnings, ...left] } };
};

/** Rejects an index older than the active one, because it would undo revocations [supply-chain.sequence]. */
async function assertIndexFollows(before: Configuration, after: Configuration): Promise<void> {
  if (before.supply_chain.index === undefined || after.supply_chain.index === undefined) return;
  const { olderThan } = await import('#core/configuration/supply-chain/in-force.ts');
  const why = olderThan(before, after);
  if (why === undefined) return;
  const allowed = 'the index in force or a newer one; get the current one from its publisher';
  throw problemsError([{ path: ['supply_chain', 'index'], found: why, allowed }], () => undefined);
}

/** Warns if a data plane leaves its control plane, because from that point only this configuration is used. */
const leftControlPlane = ({ federation: before }: Configuration, { federation: after }: Configuration): string[] =>
  before.role === 'data' && after.role !== 'data'
    ? [
        `federation.role changes from data to ${after.role}: this gateway, plane ${before.plane}, no longer applies the configuration of its control plane.`,
      ]
    : [];

/**
 * Returns the check for `If-Match`, whose tags come from `GET config`. It ensures that changes the caller has not seen
 * are never undone.
 */
function overOf({ header }: Call): ((version: number) => void) | undefined {
  const tags = header('if-match')
    ?.split(',')
    .map((tag) => tag.trim());
  if (tags === undefined || tags.includes('*')) return undefined;
  return (version) => {
    if (tags.includes(`"${version}"`)) return;
    throw new GatewayError(
      'conflict',
      `If-Match is ${tags.join(', ').slice(0, 64)}, but version ${version} is in force; nothing was stored. Read the configuration again.`,
    );
  };
}

const maxFileName = 200;

/**
 * Returns the name of the file that was sent, which is used in the locations of its rules. @throws GatewayError
 * `invalid_request`
 */
function fileOf({ query: { file } }: Call): string | undefined {
  if (file === undefined || (file.trim() !== '' && file.length <= maxFileName)) return file;
  throw invalidRequest(`file has ${file.length} characters; give a name of 1 to ${maxFileName}, or leave it out.`);
}

const maxReason = 500;

/** Returns the reason for the change, to be recorded in evidence. @throws GatewayError `invalid_request` */
function reasonOf({ query: { reason } }: Call): string | undefined {
  if (reason === undefined || (reason.trim() !== '' && reason.length <= maxReason)) return reason;
  throw invalidRequest(`reason has ${reason.length} characters; give 1 to ${maxReason}, or leave it out.`);
}

/** Limits the change to a data plane's own parts. This code is only loaded on data planes. */
async function underControlPlane(ports: Call['ports'], configuration: Configuration): Promise<Configuration> {
  if (configuration.federation.role !== 'data') return configuration;
  const { underControlPlane } = await import('#core/operations/federation/apply.ts');
  return underControlPlane(ports, configuration);
}

/**
 * Reloads keys whose secrets were replaced or withdrawn, which takes effect everywhere within five seconds. The
 * configuration does not change.
 */
export const refreshConfigKeys: Operation = async (call) => {
  const { row, keys, warnings } = await refreshKeys(call.ports);
  await adopted(call, 'config.refresh-keys', row);
  return { body: { version: row.version, keys, warnings } };
};

export const policyVersions: Operation = async ({ ports, snapshot }) => ({
  body: { current: snapshot.version, versions: await ports.configStore.list() },
});

export const currentPolicyVersion: Operation = async ({ ports, snapshot }) => {
  const row = await ports.configStore.current();
  return {
    body: { ...row, policy: snapshot.policyDocument.name, default_decision: snapshot.policyDocument.default_decision },
  };
};

/**
 * Returns the part of a version that the caller may see. Platform callers see all of it [policy-version.own-tenant].
 */
async function versionAsRead(call: Call, text: string | undefined) {
  const { row, configuration: whole } = await versionOf(call, text);
  return { row, whole, configuration: asRead(call.principal, whole) };
}

export const policyVersion: Operation = async (call) => {
  const { row, configuration, whole } = await versionAsRead(call, call.params.version);
  const places = await readPlaces(call.ports.objects, row).catch(() => undefined); // optional in the response
  return {
    body: { ...row, configuration, ...(places && { places: placesAsRead(call.principal, whole, places) }) },
  };
};

export const policyRollback: Operation = async (call) => {
  const { ports, principal, params, snapshot } = call;
  const { role, plane } = snapshot.configuration.federation;
  if (role === 'data')
    throw new GatewayError('conflict', `This gateway is the data plane ${plane}: roll back at its control plane.`);
  const row = await rollback(ports, versionNumber(params.version), principal.person ?? principal.name);
  await adopted(call, 'policy.rollback', row);
  return { body: row };
};

/** Records the act and switches this instance to the new version. Other instances follow within five seconds. */
async function adopted(call: Call, action: string, row: VersionRow, reason?: string): Promise<void> {
  await recordAct(call, action, {
    ...(await versionAct(call.ports, row)),
    ...(reason !== undefined && { reason: maskSecrets(reason) }),
  });
  await call.ports.snapshots.refresh();
}

export const policyDiff: Operation = async (call) => {
  const before = await versionAsRead(call, call.params.version);
  const after = await versionAsRead(call, call.query.against ?? String(call.snapshot.version));
  const [old, current] = [before, after].map(({ configuration }) => buildPolicyDocument(configuration));
  const { calls } = call.ports;
  // Exact results take seconds for large packs, so they are computed in a worker if there is one.
  const diff = (from: ToolPolicyDocument, to: ToolPolicyDocument) =>
    calls ? calls.diff({ before: policyText(from), after: policyText(to) }) : diffPolicies(from, to);
  const body = {
    from: before.row.version,
    to: after.row.version,
    ...(await diff(old!, current!)),
    levels: await diffLevels(before.configuration, after.configuration, diff),
    lifted_guards: liftedGuards(before.configuration, after.configuration),
    changes: compareConfigurations(before.configuration, after.configuration),
  };
  return { body };
};

export const listPolicies: Operation = async ({ ports, snapshot, principal }) => {
  const { name, default_decision, rules, guards = [] } = snapshot.policyDocument;
  return {
    body: {
      version: snapshot.version,
      policy: name,
      default_decision,
      guards,
      rules,
      warnings: [
        ...troubleAsRead(principal, ports.configurationTrouble?.current, snapshot.version),
        ...warningsAsRead(principal, snapshot),
      ],
    },
  };
};
