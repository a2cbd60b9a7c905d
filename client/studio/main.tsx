import './app/policy.ts';
import '@fontsource-variable/inter/wght.css';
import '@mantine/core/styles/baseline.layer.css';
import '@mantine/core/styles/default-css-variables.layer.css';
import '@mantine/core/styles/global.layer.css';
import '@mantine/notifications/styles.layer.css';
import './app/studio.css';
import { createRoot } from 'react-dom/client';
import { Studio } from './app/studio.tsx';

const container = document.getElementById('studio');
if (!container) throw new Error('the page has no element with the ID studio');
createRoot(container).render(<Studio />);
