/** Lists approvals and takes votes (spec §3.2). */
import * as operations from '#core/admin/approvals.ts';
import { httpDoor } from '../middleware/http-door.ts';
import type { GatewayPorts } from '../ports.ts';

export const door = (ports: GatewayPorts) => httpDoor('approvals', ports, operations);
