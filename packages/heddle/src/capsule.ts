// The door for capsules: a run as one HTML file that opens from a disk, and back. Small, and without Node.

export { type Capsule, type CapsuleHead, type CapsuleParts, openCapsule, sealCapsule } from './core/views/capsule.ts';
export { type CapsuleViewer, capsulePage } from './core/views/capsule-page.ts';
