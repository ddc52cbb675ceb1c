import { useEffect, useRef, useState } from "react";
import { useNavigate, useParams } from "react-router";
import { api, useApi } from "../shop.js";
import { Text } from "./Text.jsx";

export function Stores() {
  const navigate = useNavigate();
  const [stores, setStores] = useState([]);
  const [next, setNext] = useState(1);
  const end = useRef(null);

  useEffect(() => {
    if (!next) return undefined;
    let isCurrent = true;
    const observer = new IntersectionObserver(async ([entry]) => {
      if (!entry.isIntersecting) return;
      observer.disconnect();
      const page = await api(`stores?page=${next}`);
      if (!isCurrent) return;
      setStores((known) => [...known, ...page.stores]);
      setNext(page.next);
    });
    observer.observe(end.current);
    return () => {
      isCurrent = false;
      observer.disconnect();
    };
  }, [next]);

  return (
    <>
      <h1>Our stores</h1>
      <ul className="stores">
        {stores.map((store) => (
          <li key={store.id} onClick={() => navigate(`/stores/${store.id}`)}>
            <strong>{store.town}</strong> {store.street}
          </li>
        ))}
      </ul>
      {next && <p ref={end} className="spinner">Loading more stores</p>}
    </>
  );
}

export function Store() {
  const { place } = useParams();
  const first = useApi("stores?page=1");
  const second = useApi("stores?page=2");
  if (!first || !second) return <p className="spinner">Loading</p>;
  const store = [...first.stores, ...second.stores].find((each) => each.id === place);
  if (!store) return <Text title="Page not found">There is no shop of ours.</Text>;
  return <Text title={`Our shop in ${store.town}`}>{store.street}, open from nine.</Text>;
}
