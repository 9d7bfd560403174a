/** URLs of approvals for callers and channels. */

/** Returns the URL that gives API clients the list of approvals, and browsers a page on how to decide. */
export const approvalsUrl = (adminUrl: string) => `${adminUrl}/admin/v1/approvals`;

export const approvalUrl = (adminUrl: string, envelopeId: string) => `${approvalsUrl(adminUrl)}/${envelopeId}`;
