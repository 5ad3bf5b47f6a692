// What a capsule runs when it is opened: its data are checked first, and shown only if they are as they were exported.

import { openCapsule } from 'heddle/capsule';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ErrorNotice } from '../parts/notice.tsx';
import { CapsuleView } from './capsule-view.tsx';
import './capsule.css';

const place = document.getElementById('capsule');
const data = document.getElementById('data')?.textContent ?? '';
if (place) {
  place.className = 'hd';
  createRoot(place).render(<StrictMode>{shown(data)}</StrictMode>);
}

function shown(text: string) {
  try {
    return <CapsuleView capsule={openCapsule(text)} />;
  } catch (error) {
    return <ErrorNotice error={error} />;
  }
}
