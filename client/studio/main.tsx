import './app/policy.ts';
import '@fontsource-variable/inter/wght.css';
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './app/studio.css';
import { createRoot } from 'react-dom/client';
import { Studio } from './app/studio.tsx';

const place = document.getElementById('studio');
if (!place) throw new Error('the page has no place for the studio');
createRoot(place).render(<Studio />);
