/** Lists and revokes issued credentials (spec §2.6). */
import * as operations from '#core/admin/credentials.ts';
import { httpDoor } from '../middleware/http-door.ts';
import type { GatewayPorts } from '../ports.ts';

export const door = (ports: GatewayPorts) => httpDoor('credentials', ports, operations);
