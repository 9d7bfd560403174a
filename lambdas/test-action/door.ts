/** Governs one action (spec §4.3). */
import { testAction } from '#core/admin/test-action.ts';
import { httpDoor } from '../middleware/http-door.ts';
import type { GatewayPorts } from '../ports.ts';

export const door = (ports: GatewayPorts) => httpDoor('test-action', ports, { testAction });
