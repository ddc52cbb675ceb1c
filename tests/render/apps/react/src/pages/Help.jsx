import { useState } from "react";
import { useNavigate } from "react-router";

const QUESTIONS = [
  { question: "How do I return something?", answer: "Send it back within sixty days.", more: null },
  { question: "My boots are getting stiff", answer: "They are thirsty.", more: "/care/leather" },
];

export function Help() {
  const [open, setOpen] = useState(-1);
  const navigate = useNavigate();
  return (
    <>
      <h1>Help</h1>
      <dl className="accordion">
        {QUESTIONS.map(({ question, answer, more }, index) => (
          <div key={question}>
            <dt aria-expanded={open === index} onClick={() => setOpen(open === index ? -1 : index)}>{question}</dt>
            {open === index && (
              <dd>
                {answer} {more && <em onClick={() => navigate(more)}>How to care for leather</em>}
              </dd>
            )}
          </div>
        ))}
      </dl>
    </>
  );
}
