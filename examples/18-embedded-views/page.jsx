// A page of the product: a claim of this user, live, with its question; and another run, from its journal alone.

import { connectTo, HeddleProvider, Inbox, journalSource, RunView, SourceView } from 'heddle-react';
import { createRoot } from 'react-dom/client';
import 'heddle-react/styles.css';
import './page.css';

const { url, token, runId, journal } = await (await fetch('/embedded')).json();
const connection = connectTo({ url, key: token });
const past = journalSource(journal);

createRoot(document.getElementById('page')).render(
  <main className="product">
    <h1>Your claim</h1>
    <HeddleProvider connection={connection}>
      <section className="hd" aria-label="Progress">
        <RunView runId={runId} />
      </section>
      <section className="hd" aria-label="Questions">
        <Inbox runId={runId} />
      </section>
    </HeddleProvider>
    <h2>A claim like yours</h2>
    <section className="hd product-past" aria-label="A claim like yours">
      <SourceView source={past} />
    </section>
    <button type="button" className="product-button">
      Contact us
    </button>
  </main>,
);
