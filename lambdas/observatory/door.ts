/** Health, identity, status, usage, metrics (spec §4.3). */
import * as operations from '#core/admin/observatory.ts';
import { httpDoor } from '../middleware/http-door.ts';
import type { GatewayPorts } from '../ports.ts';

export const door = (ports: GatewayPorts) => httpDoor('observatory', ports, operations);
