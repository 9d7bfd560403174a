/** Exports, verifies and reports evidence; the audit log. */
import * as evidence from '#core/operations/evidence.ts';
import { compareInForce } from '#core/operations/in-force.ts';
import * as transparency from '#core/operations/transparency.ts';
import { httpEndpoint } from '../middleware/http-endpoint.ts';
import type { GatewayPorts } from '../ports.ts';

export const createHandler = (ports: GatewayPorts) =>
  httpEndpoint('evidence', ports, {
    ...evidence,
    ...transparency,
    compareInForce,
    markdownReport: evidence.markdownSessionReport,
    htmlReport: evidence.htmlSessionReport,
  });
