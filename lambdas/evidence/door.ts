/** Exports, verifies and reports evidence; the audit log (spec §2.5). */
import * as evidence from '#core/admin/evidence.ts';
import { httpDoor } from '../middleware/http-door.ts';
import type { GatewayPorts } from '../ports.ts';

export const door = (ports: GatewayPorts) =>
  httpDoor('evidence', ports, {
    ...evidence,
    markdownReport: evidence.markdownSessionReport,
    htmlReport: evidence.htmlSessionReport,
  });
