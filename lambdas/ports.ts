export type { GatewayPorts } from '#core/admin/ports.ts';
export type { ChatPorts } from '#core/chat/ports.ts';
