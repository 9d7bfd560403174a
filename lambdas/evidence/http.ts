/** Exports, verifies and reports evidence; the audit log. */
import * as evidence from '#core/admin/evidence.ts';
import * as transparency from '#core/admin/transparency.ts';
import { httpEndpoint } from '../middleware/http-endpoint.ts';
import type { GatewayPorts } from '../ports.ts';

export const createHandler = (ports: GatewayPorts) =>
  httpEndpoint('evidence', ports, {
    ...evidence,
    ...transparency,
    markdownReport: evidence.markdownSessionReport,
    htmlReport: evidence.htmlSessionReport,
  });
