/** What the object store uses of the SDK: named here, so that a late import still bundles nothing else of it. */
export { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
