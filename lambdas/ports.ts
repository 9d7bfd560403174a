export type { GatewayPorts } from '#core/admin/ports.ts';
