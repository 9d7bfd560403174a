/** The functions of a control plane and of a data plane, and their rights. */
import type { FunctionSpec } from '#core/contracts/function-spec.ts';
import { configuration, interactive } from '#core/contracts/functions/access.ts';

declare module '#core/contracts/functions.ts' {
  interface FeatureFunctions {
    readonly federation: FunctionSpec;
    readonly 'federation-poll': FunctionSpec;
  }
}

export const functions = {
  federation: {
    ...interactive,
    purpose: 'serves the configuration to data planes, takes their status, evidence heads and metrics',
    tables: {
      ...configuration,
      // Records a plane's chains that differ from its reports.
      evidence: 'append',
      sessions: 'append',
      federation: 'append',
      observations: 'put',
    },
    queries: ['federation'],
    signs: true,
    objects: 'read',
  },
  'federation-poll': {
    purpose:
      'asks the control plane for the configuration each minute and reports to it, if the deployment is a data plane',
    tables: {
      config: 'write',
      approvals: 'get',
      // Records accepted and refused configurations, and reports chains from the tables.
      evidence: 'append',
      sessions: 'append',
      observations: 'get',
    },
    queries: ['approvals.by_status', 'evidence', 'observations', 'sessions.by_opened'],
    callsUpstreams: true,
    // Only the plane's token, because another function stores the plane's keys as digests.
    secrets: ['federation'],
    objects: 'write',
    schedule: { everyMinutes: 1 },
    optional: 'dataPlane',
    timeoutSeconds: 60,
    memoryMb: 512,
  },
} as const satisfies Record<string, FunctionSpec>;
