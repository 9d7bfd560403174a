/** Compares evidence with the archive when asked, and archives what is missing. */
import * as operations from '#core/admin/archive.ts';
import { httpDoor } from '../middleware/http-door.ts';
import type { GatewayPorts } from '../ports.ts';

export const door = (ports: GatewayPorts) => httpDoor('archive', ports, { ...operations });
